(* K-norm noise on the second-moment matrix: the two norms that one record changes by at most 1/n, as sums over the
   eigenvalues, and the guarantee for every length d of a record and every number n of them. For beyond.k-norm-privacy. *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import boolp classical_sets functions cardinality fsbigop mathcomp_extra.
From mathcomp Require Import signed reals ereal topology normedtype sequences esum measure.
From mathcomp Require Import lebesgue_measure numfun lebesgue_integral exp.
From DPMatrix.matrices Require Import inner_products spectral_theorem.
From DPMatrix Require Import differential_privacy lebesgue_space additive_noise second_moment noisy_moments.
From DPMatrix Require Import wishart_noise norm_noise.
Import GRing.Theory Num.Theory Order.TTheory.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section norms.
Variables (R : realType) (d : nat).
Notation vector := 'rV[R]_(triangle_size d).
Implicit Types (s x y : vector) (u v : 'rV[R]_d) (A Q : 'M[R]_d) (l : 'rV[R]_d).

(* the symmetric S with 0 <= S <= I, and tr(S X) *)
Definition contraction s := forall u, 0 <= form (symmetric_matrix s) u <= squared_norm u.
Definition pairing s x : R := \tr (symmetric_matrix s *m symmetric_matrix x).
Definition positive_trace x : R := sup [set pairing s x | s in contraction].
(* for a record replaced, and for one that appears or disappears *)
Definition replaced_norm x : R := Num.max (positive_trace x) (positive_trace (- x)).
Definition nuclear_norm x : R := positive_trace x + positive_trace (- x).

Lemma formE A u : form A u = (u *m A *m u^T) 0 0.
Proof.
rewrite mxE /form exchange_big /=; apply: eq_bigr => j _; rewrite !mxE mulr_suml.
by apply: eq_bigr => i _; rewrite mulrA [A i j * _]mulrC.
Qed.
Lemma squared_normE u : squared_norm u = (u *m u^T) 0 0.
Proof. by rewrite mxE; apply: eq_bigr => i _; rewrite mxE expr2. Qed.
Lemma pairingD s x y : pairing s (x + y) = pairing s x + pairing s y.
Proof. by rewrite /pairing symmetric_matrixD mulmxDr linearD. Qed.
Lemma pairingZ s a x : pairing s (a *: x) = a * pairing s x.
Proof.
rewrite /pairing (_ : symmetric_matrix (a *: x) = a *: symmetric_matrix x) -?scalemxAr ?linearZ//.
by apply/matrixP => i j; rewrite !mxE.
Qed.
Lemma pairing_outer s a v : pairing s (triangle (a *: outer v)) = a * form (symmetric_matrix s) v.
Proof.
rewrite triangleZ pairingZ /pairing triangleK; last exact: outerT.
by rewrite /outer mulmxA mxtrace_mulC mulmxA formE trace_mx11.
Qed.

Lemma form_frame Q e u : form (Q *m diag_mx e *m Q^T) u = \sum_i e 0 i * (u *m Q) 0 i ^+ 2.
Proof.
rewrite formE !mulmxA -[_ *m Q^T *m u^T]mulmxA -trmx_mul mul_mx_diag mxE; apply: eq_bigr => i _.
by rewrite [X in X * _]mxE [X in _ * X]mxE mulrAC -expr2 mulrC.
Qed.
Lemma pairing_spectral Q l x s : frame Q -> symmetric_matrix x = Q *m diag_mx l *m Q^T ->
  pairing s x = \sum_i l 0 i * form (symmetric_matrix s) (row i Q^T).
Proof.
move=> QQ xE; rewrite /pairing xE !mulmxA mxtrace_mulC !mulmxA; apply: eq_bigr => i _.
rewrite mul_mx_diag mxE mulrC formE tr_row trmxK -row_mul -row_mul; congr (_ * _).
by rewrite colE mulmxA -colE !mxE.
Qed.

(* S projects on the eigenvectors of positive eigenvalue, and no S does better *)
Lemma positive_part_attained Q l x : frame Q -> symmetric_matrix x = Q *m diag_mx l *m Q^T ->
  (forall s, contraction s -> pairing s x <= \sum_i Num.max 0 (l 0 i)) /\
  (exists2 s, contraction s & pairing s x = \sum_i Num.max 0 (l 0 i)).
Proof.
move=> QQ xE; have QQ' : Q *m Q^T = 1%:M by exact: mulmx1C.
have unit i : squared_norm (row i Q^T) = 1.
  by rewrite squared_normE tr_row trmxK -row_mul colE mulmxA -colE QQ !mxE eqxx.
split=> [s cs|].
  rewrite (pairing_spectral s QQ xE); apply: ler_sum => i _; have := cs (row i Q^T); rewrite unit => /andP[w0 w1].
  by have [li|/ltW li] := lerP 0 (l 0 i); [rewrite ler_pimulr | rewrite mulr_le0_ge0].
pose e : 'rV[R]_d := \row_i (0 < l 0 i)%R%:R; pose S := Q *m diag_mx e *m Q^T.
have symS : S^T = S by rewrite /S !trmx_mul trmxK tr_diag_mx mulmxA.
exists (triangle S).
  move=> u; rewrite triangleK// form_frame.
  have -> : squared_norm u = \sum_i (u *m Q) 0 i ^+ 2.
    by rewrite -/(squared_norm _) !squared_normE trmx_mul mulmxA -[_ *m Q *m _]mulmxA QQ' mulmx1.
  apply/andP; split; first by apply: sumr_ge0 => i _; rewrite mxE mulr_ge0 ?ler0n ?sqr_ge0.
  by apply: ler_sum => i _; rewrite mxE ler_pimull ?sqr_ge0// lern1 leq_b1.
rewrite (pairing_spectral _ QQ xE) triangleK//; apply: eq_bigr => i _; rewrite form_frame -row_mul QQ.
rewrite (bigD1 i)//= big1 ?addr0 => [|j ij]; last by rewrite !mxE eq_sym (negbTE ij) expr0n mulr0.
by rewrite !mxE eqxx expr1n mulr1; case: ltrP; rewrite ?mulr1 ?mulr0.
Qed.

(* what the norms are: sums over the eigenvalues *)
Theorem norms_of_eigenvalues Q l x : frame Q -> symmetric_matrix x = Q *m diag_mx l *m Q^T ->
  [/\ positive_trace x = \sum_i Num.max 0 (l 0 i),
      replaced_norm x = Num.max (\sum_i Num.max 0 (l 0 i)) (\sum_i Num.max 0 (- l 0 i))
    & nuclear_norm x = \sum_i `|l 0 i|].
Proof.
have one m y : frame Q -> symmetric_matrix y = Q *m diag_mx m *m Q^T -> positive_trace y = \sum_i Num.max 0 (m 0 i).
  move=> QQ yE; have [ub [s cs sE]] := positive_part_attained QQ yE.
  apply/eqP; rewrite eq_le; apply/andP; split.
    by apply: sup_le_ub => [|_ [t ct <-]]; [exists (pairing s y), s | exact: ub].
  by rewrite -sE; apply: sup_ub; [exists (\sum_i Num.max 0 (m 0 i)) => _ [t ct <-]; exact: ub | exists s].
move=> QQ xE; have px := one l x QQ xE.
have nx : positive_trace (- x) = \sum_i Num.max 0 (- l 0 i).
  rewrite (one (- l) (- x) QQ); first by apply: eq_bigr => i _; rewrite mxE.
  by rewrite linearN /= mulmxN mulNmx -xE; apply/matrixP => i j; rewrite !mxE.
split; rewrite /replaced_norm /nuclear_norm ?px ?nx// -big_split; apply: eq_bigr => i _ /=.
have [li|/ltW li] := ger0P (l 0 i); first by rewrite max_l ?addr0// oppr_le0.
by rewrite max_r ?add0r// oppr_ge0.
Qed.

(* the supremum is a maximum *)
Lemma positive_trace_max x :
  (forall s, contraction s -> pairing s x <= positive_trace x) /\
  (exists2 s, contraction s & pairing s x = positive_trace x).
Proof.
have [Q [l [QQ xE]]] := diagonalisation (symmetric_matrixT x).
by have [-> _ _] := norms_of_eigenvalues QQ xE; exact: positive_part_attained QQ xE.
Qed.
Lemma positive_traceD x y : positive_trace (x + y) <= positive_trace x + positive_trace y.
Proof.
have [_ [s cs <-]] := positive_trace_max (x + y).
by rewrite pairingD ler_add//; [exact: (positive_trace_max x).1 | exact: (positive_trace_max y).1].
Qed.
Lemma positive_traceZ a x : 0 <= a -> positive_trace (a *: x) = a * positive_trace x.
Proof.
move=> a0; have [ub [s cs sE]] := positive_trace_max x; have [ub' [t ct tE]] := positive_trace_max (a *: x).
apply/eqP; rewrite eq_le -{1}tE pairingZ ler_wpmul2l ?ub//= -sE -pairingZ; exact: ub'.
Qed.
Lemma replaced_normD x y : replaced_norm (x + y) <= replaced_norm x + replaced_norm y.
Proof.
rewrite /replaced_norm opprD le_maxl; apply/andP; split; apply: (le_trans (positive_traceD _ _)).
  by rewrite ler_add// le_maxr lexx.
by rewrite ler_add// le_maxr lexx orbT.
Qed.
Lemma replaced_normZ a x : 0 <= a -> replaced_norm (a *: x) = a * replaced_norm x.
Proof. by move=> a0; rewrite /replaced_norm -scalerN !positive_traceZ// maxr_pmulr. Qed.
Lemma nuclear_normD x y : nuclear_norm (x + y) <= nuclear_norm x + nuclear_norm y.
Proof. by rewrite /nuclear_norm opprD addrACA ler_add// positive_traceD. Qed.
Lemma nuclear_normZ a x : 0 <= a -> nuclear_norm (a *: x) = a * nuclear_norm x.
Proof. by move=> a0; rewrite /nuclear_norm -scalerN !positive_traceZ// mulrDr. Qed.

(* one record of norm at most 1 adds to the positive eigenvalues, and what it replaces does not *)
Lemma positive_trace_share n v w : positive_trace (share n v - share n w) <= n%:R^-1 * squared_norm v.
Proof.
have [_ [s cs <-]] := positive_trace_max (share n v - share n w).
rewrite pairingD -scaleN1r pairingZ !pairing_outer mulN1r ler_subl_addr.
have /andP[_ sv] := cs v; have /andP[sw _] := cs w.
by rewrite (@le_trans _ _ (n%:R^-1 * squared_norm v)) ?ler_wpmul2l ?invr_ge0// ler_addl mulr_ge0// invr_ge0.
Qed.
Lemma replaced_norm_share n v w : squared_norm v <= 1 -> squared_norm w <= 1 ->
  replaced_norm (share n v - share n w) <= n%:R^-1.
Proof.
move=> v1 w1; rewrite /replaced_norm opprB le_maxl.
by apply/andP; split; apply: (le_trans (positive_trace_share n _ _)); rewrite ler_pimulr ?invr_ge0.
Qed.
Lemma nuclear_norm_share n v : squared_norm v <= 1 -> nuclear_norm (share n v) <= n%:R^-1.
Proof.
have z0 : squared_norm (0 : 'rV[R]_d) = 0 by rewrite /squared_norm big1// => i _; rewrite mxE expr0n.
have share0 : share n (0 : 'rV[R]_d) = 0 by apply/rowP => k; rewrite !mxE big1 ?mulr0// => i _; rewrite !mxE mul0r.
move=> v1; rewrite /nuclear_norm -[n%:R^-1]addr0; apply: ler_add.
  by have := positive_trace_share n v 0; rewrite share0 subr0 => /le_trans; apply; rewrite ler_pimulr ?invr_ge0.
by have := positive_trace_share n 0 v; rewrite share0 sub0r z0 mulr0.
Qed.
Lemma nuclear_normN x : nuclear_norm (- x) = nuclear_norm x.
Proof. by rewrite /nuclear_norm opprK addrC. Qed.
End norms.

(* XX'/n plus noise of density proportional to exp(-n eps |.|), in the norm of each relation *)
Theorem k_norm_is_private (R : realType) (d n : nat) (eps : R) : (0 < n)%N -> 0 < eps ->
  let law (h : 'rV[R]_(triangle_size d) -> R) :=
    fun X : seq 'rV[R]_d => noisy (norm_noise (fun x => n%:R * eps * h x)) (average n X) in
  differentially_private (@replace_one R d 1) eps 0 (law (@replaced_norm R d)) /\
  differentially_private (@add_remove_one R d 1) eps 0 (law (@nuclear_norm R d)).
Proof.
move=> n0 eps0 law; have nn : 0 < n%:R :> R by rewrite ltr0n.
have private (neighbours : seq 'rV[R]_d -> seq 'rV[R]_d -> Prop) (h : 'rV[R]_(triangle_size d) -> R) :
    (forall x y, h (x + y) <= h x + h y) -> (forall a x, 0 <= a -> h (a *: x) = a * h x) ->
    (forall X Y, neighbours X Y -> h (average n X - average n Y) <= n%:R^-1) ->
    differentially_private neighbours eps 0 (law h).
  move=> hD hZ small; apply: norm_noise_is_private => [|x y|X Y XY].
  - by apply: measurable_funM; [exact: measurable_fun_cst | exact: measurable_gauge].
  - by rewrite -mulrDr ler_wpmul2l// mulr_ge0 ?ltW.
  - rewrite mulrAC ler_pimull ?(ltW eps0)// -ler_pdivl_mull// mulr1; exact: small.
split; apply: private.
- exact: replaced_normD.
- exact: replaced_normZ.
- move=> X Y [s [v [w [t [eX eY bX bY]]]]].
  have v1 : squared_norm v <= 1 by rewrite -(expr1n _ 2); apply: bX; rewrite eX mem_cat mem_head orbT.
  have w1 : squared_norm w <= 1 by rewrite -(expr1n _ 2); apply: bY; rewrite eY mem_cat mem_head orbT.
  have -> : average n X - average n Y = share n v - share n w by rewrite eX eY !average_share opprD addrACA subrr add0r.
  exact: replaced_norm_share.
- exact: nuclear_normD.
- exact: nuclear_normZ.
- move=> X Y [s [v [t [[[eX eY]|[eX eY]] bX bY]]]]; rewrite eX eY average_share.
    by rewrite addrAC subrr add0r nuclear_norm_share// -(expr1n _ 2); apply: bX; rewrite eX mem_cat mem_head orbT.
  by rewrite opprD addNKr nuclear_normN nuclear_norm_share// -(expr1n _ 2); apply: bY; rewrite eY mem_cat mem_head orbT.
Qed.
