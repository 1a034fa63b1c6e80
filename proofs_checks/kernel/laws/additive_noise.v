(* A vector plus independent noise that has a density: its law, and when it hides the vector. *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import boolp classical_sets functions cardinality fsbigop mathcomp_extra.
From mathcomp Require Import signed reals ereal topology normedtype sequences esum measure.
From mathcomp Require Import lebesgue_measure numfun lebesgue_integral exp.
From DPMatrix Require Import differential_privacy lebesgue_space.
Import GRing.Theory Num.Theory Order.TTheory.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section additive_noise.
Variables (R : realType) (n : nat).
Implicit Types (f : space R n -> \bar R) (b : 'rV[R]_n).

(* the law of b + N, where N has density f *)
Definition noisy f b : set (space R n) -> \bar R :=
  image_law (fun x : space R n => x + b : space R n) (density_law (lebesgue R n) f).

Variable f : space R n -> \bar R.
Hypotheses (mf : measurable_fun setT f) (f0 : forall x, (0 <= f x)%E).

Lemma measurable_moved b : measurable_fun setT (fun x : space R n => f (x - b : 'rV[R]_n)).
Proof. exact: (measurable_fun_comp mf (measurable_add (- b))). Qed.

Lemma noisyE b S : measurable S -> noisy f b S = density_law (lebesgue R n) (fun x => f (x - b : 'rV[R]_n)) S.
Proof.
move=> mS; rewrite /noisy /image_law /density_law integral_mkcond [RHS]integral_mkcond.
pose g := (fun x : space R n => f (x - b : 'rV[R]_n)) \_ S.
rewrite -[RHS](@integral_translation R n b g).
- apply: eq_integral => x _; rewrite /g /patch.
  have -> : (x \in (fun y : space R n => y + b : space R n) @^-1` S) = ((x + b : 'rV[R]_n) \in S).
    by apply/idP/idP => /set_mem h; apply/mem_set.
  by rewrite addrK.
- apply/(measurable_restrict _ mS measurableT) => //; exact: (measurable_funS measurableT (@subsetT _ _) (measurable_moved b)).
- by move=> x; rewrite /g /patch; case: ifP.
Qed.

Lemma noisy_ge0 b S : (0 <= noisy f b S)%E. Proof. exact: integral_ge0. Qed.

Lemma noisy_total b : noisy f b setT = (\int[lebesgue R n]_x f x)%E.
Proof. by rewrite /noisy /image_law preimage_setT. Qed.

(* noise whose density changes by at most e^eps when it is moved by the change of the statistic *)
Theorem additive_noise_is_private (D : Type) (neighbours : D -> D -> Prop) (q : D -> 'rV[R]_n) (eps : R) :
  (forall x y, neighbours x y -> forall z : 'rV[R]_n, f (z - q x)%R <= (expR eps)%:E * f (z - q y)%R)%E ->
  differentially_private neighbours eps 0 (fun x => noisy f (q x)).
Proof.
move=> ratio x y xy S mS; rewrite !noisyE//.
by apply: bounded_density_ratio => // [||z]; [exact: measurable_moved | exact: measurable_moved | exact: ratio].
Qed.
End additive_noise.

Section vectors.
Variables (R : realType) (n : nat).
Implicit Types u v : 'rV[R]_n.
Definition l1_norm v : R := \sum_i `|v 0 i|.
Definition inner u v : R := \sum_i u 0 i * v 0 i.
Definition squared_norm v : R := \sum_i v 0 i ^+ 2.
Lemma squared_norm_ge0 v : 0 <= squared_norm v. Proof. by apply: sumr_ge0 => i _; exact: sqr_ge0. Qed.
Lemma squared_normD u v : squared_norm (u + v) = squared_norm u + inner u v *+ 2 + squared_norm v.
Proof.
rewrite /squared_norm /inner -sumrMnl -!big_split /=; apply: eq_bigr => i _.
by rewrite mxE sqrrD.
Qed.
Lemma squared_normN v : squared_norm (- v) = squared_norm v.
Proof. by apply: eq_bigr => i _; rewrite mxE sqrrN. Qed.
Lemma squared_normZ a v : squared_norm (a *: v) = a ^+ 2 * squared_norm v.
Proof. by rewrite /squared_norm mulr_sumr; apply: eq_bigr => i _; rewrite mxE exprMn. Qed.
Lemma innerDl u v w : inner (u + v) w = inner u w + inner v w.
Proof. by rewrite -big_split /=; apply: eq_bigr => i _; rewrite mxE mulrDl. Qed.
Lemma innerZr a u v : inner u (a *: v) = a * inner u v.
Proof. by rewrite /inner mulr_sumr; apply: eq_bigr => i _; rewrite mxE mulrCA. Qed.
Lemma innerZl a u v : inner (a *: u) v = a * inner u v.
Proof. by rewrite /inner mulr_sumr; apply: eq_bigr => i _; rewrite mxE mulrA. Qed.
Lemma innerNl u v : inner (- u) v = - inner u v.
Proof. by rewrite -scaleN1r innerZl mulN1r. Qed.
Lemma innerE v : inner v v = squared_norm v.
Proof. by apply: eq_bigr => i _; rewrite expr2. Qed.

Lemma measurable_sum (h : 'I_n -> space R n -> R) : (forall i, measurable_fun setT (h i)) ->
  measurable_fun setT (fun x => \sum_i h i x).
Proof.
move=> mh; suff s (l : seq 'I_n) : measurable_fun setT (fun x => \sum_(i <- l) h i x) by exact: s.
elim: l => [|i l IH]; first by under eq_fun do rewrite big_nil; exact: measurable_fun_cst.
by under eq_fun do rewrite big_cons; apply: measurable_funD.
Qed.
Lemma measurable_l1 : measurable_fun setT (l1_norm : space R n -> R).
Proof.
apply: measurable_sum => i.
exact: (measurable_fun_comp (@measurable_fun_normr R setT) (measurable_coordinate i)).
Qed.
Lemma measurable_squared_norm : measurable_fun setT (squared_norm : space R n -> R).
Proof. by apply: measurable_sum => i; apply: measurable_fun_sqr; exact: measurable_coordinate. Qed.
Lemma measurable_inner v : measurable_fun setT (fun x : space R n => inner x v).
Proof.
apply: measurable_sum => i; apply: measurable_funM; first exact: measurable_coordinate.
exact: measurable_fun_cst.
Qed.
End vectors.

(* Laplace noise on every coordinate *)
Section laplace.
Variables (R : realType) (n : nat) (scale : R).
Hypothesis scale0 : 0 < scale.
Definition laplace_density (z : R) : R := expR (- (`|z| / scale)) / (2%:R * scale).
Definition laplace_noise (x : space R n) : \bar R := (\prod_i laplace_density (x 0 i))%:E.

Lemma laplace_density_gt0 z : 0 < laplace_density z.
Proof. by rewrite divr_gt0 ?expR_gt0 ?mulr_gt0. Qed.
Lemma measurable_laplace_density : measurable_fun setT laplace_density.
Proof.
apply: measurable_funM; last exact: measurable_fun_cst.
have h : measurable_fun setT (fun z : R => - (`|z| / scale)).
  by apply: measurable_funN; apply: measurable_funM; [exact: measurable_fun_normr | exact: measurable_fun_cst].
exact: (measurable_fun_comp (@measurable_expR R) h).
Qed.
Lemma measurable_laplace : measurable_fun setT laplace_noise.
Proof.
apply: measurable_fun_comp; first exact: measurable_fun_EFin.
by apply: (@measurable_product R n (fun=> laplace_density)) => i; exact: measurable_laplace_density.
Qed.
Lemma laplace_ge0 x : (0 <= laplace_noise x)%E.
Proof. by rewrite lee_fin prodr_ge0// => i _; exact/ltW/laplace_density_gt0. Qed.

Lemma laplace_ratio (x y z : 'rV[R]_n) :
  (laplace_noise (z - x)%R <= (expR (l1_norm (x - y) / scale))%:E * laplace_noise (z - y)%R)%E.
Proof.
rewrite -EFinM lee_fin /laplace_noise /l1_norm mulr_suml.
suff h (l : seq 'I_n) : \prod_(i <- l) laplace_density ((z - x) 0 i) <=
    expR (\sum_(i <- l) `|(x - y) 0 i| / scale) * \prod_(i <- l) laplace_density ((z - y) 0 i) by exact: h.
elim: l => [|i l IH]; first by rewrite !big_nil expR0 mul1r.
rewrite !big_cons expRD mulrACA; apply: ler_pmul => //; first exact/ltW/laplace_density_gt0.
  by rewrite prodr_ge0// => j _; exact/ltW/laplace_density_gt0.
rewrite /laplace_density mulrA -expRD ler_wpmul2r ?invr_ge0 ?mulr_ge0 ?(ltW scale0)//.
rewrite ler_expR -mulNr -mulNr -mulrDl ler_wpmul2r ?invr_ge0 ?(ltW scale0)//.
rewrite ler_oppl opprB ler_subl_addr !mxE.
by rewrite (_ : z 0 i - y 0 i = z 0 i - x 0 i + (x 0 i - y 0 i)) ?ler_norm_add// addrA subrK.
Qed.

(* independent noise for a statistic that changes by at most s in l1 norm between neighbours *)
Theorem laplace_noise_is_private (D : Type) (neighbours : D -> D -> Prop) (q : D -> 'rV[R]_n) (s eps : R) :
  (forall x y, neighbours x y -> l1_norm (q x - q y) <= s) -> s / eps <= scale -> 0 < eps ->
  differentially_private neighbours eps 0 (fun x => noisy laplace_noise (q x)).
Proof.
move=> sens se eps0; apply: additive_noise_is_private; [exact: measurable_laplace | exact: laplace_ge0 |].
move=> x y xy z; apply: (le_trans (laplace_ratio (q x) (q y) z)).
apply: lee_wpmul2r; first exact: laplace_ge0.
rewrite lee_fin ler_expR ler_pdivr_mulr// (le_trans (sens _ _ xy))//.
by rewrite mulrC -ler_pdivr_mulr.
Qed.
End laplace.
