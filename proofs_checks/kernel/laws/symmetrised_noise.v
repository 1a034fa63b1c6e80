(* Noise with density proportional to exp(-l(w)) on a convex cone of R^n: one such noise is not private, as an output
   betrays the data with probability exactly 1 - exp(-l(P)); the difference of two is private. For wishart.theorem-4. *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import boolp classical_sets functions cardinality fsbigop mathcomp_extra.
From mathcomp Require Import signed reals ereal topology normedtype sequences esum measure.
From mathcomp Require Import lebesgue_measure numfun lebesgue_integral exp.
From mathcomp.algebra_tactics Require Import ring.
From DPMatrix Require Import differential_privacy lebesgue_space additive_noise.
Import GRing.Theory Num.Theory Order.TTheory.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section pairs.
Variables (R : realType) (n : nat).
Definition pair_measure : {measure set (space R n * space R n)%type -> \bar R} :=
  [the {measure set _ -> \bar R} of product_measure1 (lebesgue R n) (@sigma_finite_space R n)].
Definition move_pair (p q : 'rV[R]_n) (w : space R n * space R n) : space R n * space R n :=
  (w.1 + p : 'rV[R]_n, w.2 + q : 'rV[R]_n).
Lemma measurable_move_pair p q : measurable_fun setT (move_pair p q).
Proof.
apply/prod_measurable_funP; split.
- exact: (measurable_fun_comp (measurable_add p) (@measurable_fst _ _ (space R n) (space R n))).
- exact: (measurable_fun_comp (measurable_add q) (@measurable_snd _ _ (space R n) (space R n))).
Qed.
Lemma pair_translation p q S : measurable S -> pair_measure (move_pair p q @^-1` S) = pair_measure S.
Proof.
move=> mS; apply/esym; have h := @product_measure_unique _ _ (space R n) (space R n) R (lebesgue R n) (lebesgue R n)
  (@sigma_finite_space R n) (@sigma_finite_space R n)
  [the {measure set _ -> \bar R} of pushforward pair_measure (measurable_move_pair p q)].
apply: h => // A B mA mB; rewrite /= /pushforward /pair_measure /=.
rewrite (_ : _ @^-1` _ = ((fun x : space R n => x + p : space R n) @^-1` A) `*`
  ((fun x : space R n => x + q : space R n) @^-1` B))//.
have mp (r : 'rV[R]_n) C : measurable C -> measurable ((fun x : space R n => x + r : space R n) @^-1` C).
  by move=> mC; rewrite -[X in measurable X]setTI; exact: measurable_add.
by rewrite product_measure1E//; [rewrite !lebesgue_translation | exact: mp | exact: mp].
Qed.
Lemma integral_move_pair p q (f : space R n * space R n -> \bar R) : measurable_fun setT f -> (forall w, 0 <= f w)%E ->
  (\int[pair_measure]_w f (move_pair p q w) = \int[pair_measure]_w f w)%E.
Proof.
move=> mf f0; etransitivity; first by symmetry; exact: (integral_pushforward (measurable_move_pair p q) pair_measure mf f0).
by apply: eq_measure_integral => S mS _; exact: pair_translation.
Qed.
End pairs.

Section cone_noise.
Variables (R : realType) (n : nat) (K : set 'rV[R]_n) (l : 'rV[R]_n -> R).
Hypothesis Kadd : forall p q, K p -> K q -> K (p + q).
Hypothesis Km : measurable (K : set (space R n)).
Hypothesis ladd : forall p q, l (p + q) = l p + l q.
Hypothesis lm : measurable_fun setT (l : space R n -> R).

Definition cone_weight (x : space R n) : R := expR (- l x) * \1_(K : set (space R n)) x.
Definition cone_total : \bar R := (\int[lebesgue R n]_x (cone_weight x)%:E)%E.
(* the density exp(-l(w)) on K, 0 off it, over its integral *)
Definition cone_density (x : space R n) : R := (fine cone_total)^-1 * cone_weight x.
Definition cone_noise (x : space R n) : \bar R := (cone_density x)%:E.

(* the law of b + W1 - W2, where W1 and W2 are independent and have that density *)
Definition symmetrised (b : 'rV[R]_n) : set (space R n) -> \bar R :=
  image_law (fun w : space R n * space R n => b + w.1 - w.2 : space R n)
    (density_law (pair_measure R n) (fun w => cone_noise w.1 * cone_noise w.2)%E).

Lemma cone_weight_ge0 x : 0 <= cone_weight x. Proof. by rewrite mulr_ge0// ltW// expR_gt0. Qed.
Lemma cone_total_ge0 : (0 <= cone_total)%E.
Proof. by apply: integral_ge0 => x _; rewrite lee_fin cone_weight_ge0. Qed.
Lemma cone_density_ge0 x : 0 <= cone_density x.
Proof. by rewrite mulr_ge0 ?cone_weight_ge0// invr_ge0 fine_ge0// cone_total_ge0. Qed.
Lemma cone_noise_ge0 x : (0 <= cone_noise x)%E. Proof. by rewrite lee_fin cone_density_ge0. Qed.
Lemma measurable_cone_weight : measurable_fun setT cone_weight.
Proof.
apply: measurable_funM; last exact: measurable_fun_indic Km.
by apply: (measurable_fun_comp (@measurable_expR R)); exact: measurable_funN.
Qed.
Lemma measurable_cone_noise : measurable_fun setT cone_noise.
Proof.
apply: measurable_fun_comp; first exact: measurable_fun_EFin.
by apply: measurable_funM; [exact: measurable_fun_cst | exact: measurable_cone_weight].
Qed.

Lemma lB p q : l (p - q) = l p - l q.
Proof. by apply/eqP; rewrite eq_sym subr_eq -ladd subrK. Qed.

(* the one-sided property of the density *)
Lemma cone_noise_moved p x : K p -> (cone_noise (x - p)%R <= (expR (l p))%:E * cone_noise x)%E.
Proof.
move=> Kp; rewrite /cone_noise -EFinM lee_fin /cone_density [leRHS]mulrCA.
rewrite ler_wpmul2l ?invr_ge0 ?fine_ge0 ?cone_total_ge0// /cone_weight lB opprB expRD mulrA.
have [h|h] := boolP ((x - p : space R n) \in K); last first.
  by rewrite [X in (_ * X <= _)%R]indicE (negbTE h) mulr0 !mulr_ge0// ltW// expR_gt0.
have Kx : x \in K by move: h; rewrite !inE /= => /Kadd /(_ Kp); rewrite subrK.
by rewrite !indicE h Kx !mulr1.
Qed.

Notation pair_noise := (fun w : space R n * space R n => cone_noise w.1 * cone_noise w.2)%E.
Lemma measurable_pair_noise : measurable_fun setT pair_noise.
Proof.
apply: emeasurable_funM.
- exact: (measurable_fun_comp measurable_cone_noise (@measurable_fst _ _ (space R n) (space R n))).
- exact: (measurable_fun_comp measurable_cone_noise (@measurable_snd _ _ (space R n) (space R n))).
Qed.
Lemma pair_noise_ge0 w : (0 <= pair_noise w)%E. Proof. by rewrite mule_ge0 ?cone_noise_ge0. Qed.

Lemma measurable_release b :
  measurable_fun setT (fun w : space R n * space R n => b + w.1 - w.2 : space R n).
Proof.
apply: measurable_into_space => i; under eq_fun do rewrite !mxE.
have m1 := measurable_fun_comp (measurable_coordinate i) (@measurable_fst _ _ (space R n) (space R n)).
have m2 := measurable_fun_comp (measurable_coordinate i) (@measurable_snd _ _ (space R n) (space R n)).
by apply: measurable_funD; [apply: measurable_funD => //; exact: measurable_fun_cst | exact: measurable_funN].
Qed.

(* P goes into the first noise and M into the second *)
Theorem symmetrised_noise_hides b P M : K P -> K M ->
  indistinguishable (l P + l M) 0 (symmetrised (b + P)) (symmetrised (b + M)).
Proof.
move=> KP KM S mS; rewrite adde0 /symmetrised /image_law /density_law.
rewrite [leLHS]integral_mkcond [X in (_ <= _ * X)%E]integral_mkcond.
pose out c (w : space R n * space R n) : space R n := c + w.1 - w.2.
have mO c : measurable (out c @^-1` S) by have := measurable_release c measurableT mS; rewrite setTI.
pose g (w : space R n * space R n) : \bar R := if w \in out (b + M) @^-1` S then pair_noise w else 0%E.
pose h (w : space R n * space R n) : \bar R :=
  if w \in out (b + M) @^-1` S then (cone_noise (w.1 - P)%R * cone_noise (w.2 - M)%R)%E else 0%E.
have mg : measurable_fun setT g.
  apply/(measurable_restrict _ (mO (b + M)) measurableT) => //.
  exact: (measurable_funS measurableT (@subsetT _ _) measurable_pair_noise).
have mh : measurable_fun setT h.
  apply/(measurable_restrict _ (mO (b + M)) measurableT) => //; apply: (measurable_funS measurableT (@subsetT _ _)).
  apply: emeasurable_funM.
  - exact: (measurable_fun_comp (measurable_moved measurable_cone_noise P) (@measurable_fst _ _ (space R n) (space R n))).
  - exact: (measurable_fun_comp (measurable_moved measurable_cone_noise M) (@measurable_snd _ _ (space R n) (space R n))).
have g0 w : (0 <= g w)%E by rewrite /g; case: ifP => // _; exact: pair_noise_ge0.
have h0 w : (0 <= h w)%E by rewrite /h; case: ifP => // _; rewrite mule_ge0 ?cone_noise_ge0.
apply: (@le_trans _ _ (\int[pair_measure R n]_w h w)%E).
  rewrite -(integral_move_pair P M mh h0) le_eqVlt; apply/orP; left; apply/eqP.
  apply: eq_integral => w _; rewrite /h /patch /move_pair /= !addrK.
  have e : b + M + (w.1 + P) - (w.2 + M) = b + P + w.1 - w.2 :> 'rV[R]_n by apply/rowP => i; rewrite !mxE; ring.
  by congr (if _ then _ else _); apply/idP/idP => /set_mem k; apply/mem_set; move: k; rewrite /preimage /mkset /out /= e.
rewrite -ge0_integralM//; last exact: expR_ge0E.
apply: ge0_le_integral => //.
- by move=> w _; rewrite mule_ge0 ?expR_ge0E.
- exact: measurable_funeM.
move=> w _; rewrite /h /patch; case: ifP => _; last by rewrite mule0.
rewrite expRD EFinM muleACA; apply: lee_pmul; [exact: cone_noise_ge0 | exact: cone_noise_ge0 | |];
  exact: cone_noise_moved.
Qed.

(* one noise alone *)
Hypothesis total : (0 < cone_total < +oo)%E.
Definition unreachable b P : set (space R n) := [set y | ~ K (y - b - P)].

Lemma cone_mass : (\int[lebesgue R n]_x cone_noise x = 1)%E.
Proof.
rewrite /cone_noise /cone_density; under eq_integral do rewrite EFinM.
rewrite ge0_integralM//; last 3 first.
- by apply: measurable_fun_comp; [exact: measurable_fun_EFin | exact: measurable_cone_weight].
- by move=> x _; rewrite lee_fin cone_weight_ge0.
- by rewrite lee_fin invr_ge0 fine_ge0// cone_total_ge0.
rewrite -/cone_total; move: total; case: cone_total => [z||]; rewrite ?ltxx ?andbF//= lte_fin => /andP[z0 _].
by rewrite -EFinM mulVf// gt_eqF.
Qed.

Lemma measurable_unreachable b P : measurable (unreachable b P).
Proof.
apply: measurableC; rewrite -[X in measurable X]setTI.
have := measurable_add (- b - P) => /(_ measurableT _ Km); congr measurable.
by apply/seteqP; split => y [_ /= h]; split=> //; move: h; rewrite addrA.
Qed.

Theorem impossible_output b P : noisy cone_noise (b + P) (unreachable b P) = 0%E.
Proof.
rewrite /noisy /image_law /density_law [LHS]integral_mkcond (eq_integral (cst 0%E)) ?integral0// => x _.
rewrite /patch; case: ifP => // /set_mem; rewrite /unreachable /preimage /mkset.
rewrite [b + P]addrC addrA.
have -> : x + P + b - b - P = x by rewrite !addrK.
by move=> nK; rewrite /cone_noise /cone_density /cone_weight indicE memNset ?mulr0.
Qed.

Theorem possible_output b P : K P -> noisy cone_noise b (unreachable b P) = (1 - expR (- l P))%:E.
Proof.
move=> KP; have mN := measurable_cone_noise; have N0 := cone_noise_ge0.
have mU := measurable_unreachable b P.
pose f (x : space R n) : \bar R := (cone_noise x * (\1_K (x - P : space R n))%:E)%E.
have mf : measurable_fun setT f.
  apply: emeasurable_funM => //; apply: measurable_fun_comp; first exact: measurable_fun_EFin.
  exact: (measurable_fun_comp (measurable_fun_indic Km) (measurable_add (- P))).
have f0 x : (0 <= f x)%E by apply: mule_ge0; rewrite ?N0// lee_fin indicE ler0n.
have reached : (\int[lebesgue R n]_x f x = (expR (- l P))%:E)%E.
  rewrite -(integral_translation P mf f0) -[RHS]mule1 -cone_mass -ge0_integralM//; last exact: expR_ge0E.
  apply: eq_integral => x _; rewrite /f addrK /cone_noise -!EFinM; congr EFin.
  rewrite /cone_density /cone_weight [RHS]mulrCA -mulrA; congr (_ * _).
  rewrite ladd opprD expRD; have [/set_mem Kx|/negP nK] := boolP (x \in K); last first.
    by rewrite [\1_K x]indicE (negbTE (introN idP nK)) !mulr0.
  by rewrite !indicE !mem_set ?mulr1 1?mulrC//; exact: Kadd.
have whole : (noisy cone_noise b (unreachable b P) + \int[lebesgue R n]_x f x = 1)%E.
  rewrite -cone_mass /noisy /image_law /density_law [X in (X + _)%E]integral_mkcond -ge0_integralD//; last 2 first.
  - by move=> x _; rewrite /patch; case: ifP.
  - have mV : measurable ((fun x : space R n => x + b : space R n) @^-1` unreachable b P).
      by rewrite -[X in measurable X]setTI; exact: measurable_add.
    by apply/(measurable_restrict _ mV measurableT) => //; exact: (measurable_funS measurableT (@subsetT _ _) mN).
  apply: eq_integral => x _; rewrite /patch /f indicE.
  have e : (x \in (fun x : space R n => x + b : space R n) @^-1` unreachable b P) = ~~ ((x - P : space R n) \in K).
    by apply/idP/negP => [/set_mem h /set_mem k|h]; [apply: h | apply/mem_set => k; apply: h; apply/mem_set; move: k];
      rewrite addrK.
  by rewrite e; case: (_ \in K); rewrite /= ?mule1 ?mule0 ?add0e ?adde0.
have fin : (\int[lebesgue R n]_x f x)%E \is a fin_num by rewrite reached.
by rewrite EFinB -reached -whole -addeA subee// adde0.
Qed.

(* so it keeps no pure guarantee, whatever eps is *)
Theorem one_noise_is_not_private b P eps : K P -> 0 < l P ->
  ~ indistinguishable eps 0 (noisy cone_noise b) (noisy cone_noise (b + P)).
Proof.
move=> KP lP /(_ _ (measurable_unreachable b P)); rewrite impossible_output mule0 adde0 possible_output//.
rewrite lee_fin subr_le0 => le1; have : expR (- l P) < 1 by rewrite expR_lt1 oppr_lt0.
by rewrite ltNge le1.
Qed.
End cone_noise.
