(* The Davis-Kahan theorem in spectral norm, for every size and every choice of eigenvectors: wishart.lemma-3 with the
   projectors that were meant, and the lines of the proof of wishart.theorem-6 that rest on it. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From mathcomp.zify Require Import zify.
From DPMatrix.matrices Require Import inner_products spectral_theorem eigenvalues spectral_norms projectors.
From DPMatrix.matrices Require Import subspace_perturbation.
Import GRing.Theory Num.Theory Order.TTheory.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Section sine_theorem.
Variable R : rcfType.
Variable d : nat.
Implicit Types (A B P Q W : 'M[R]_d) (a b c l : 'rV[R]_d) (x u v z : 'cV[R]_d).

Lemma topP Q k v : v \in top Q k -> exists2 i : 'I_d, (i < k)%N & v = col i Q.
Proof.
case/mapP => i ik ->; exists i => //; have := ik; rewrite in_take ?index_enum_ord //.
exact: mem_take ik.
Qed.

Lemma restP Q k v : v \in rest Q k -> exists2 i : 'I_d, (k <= i)%N & v = col i Q.
Proof.
case/mapP => i ik ->; exists i => //; rewrite leqNgt; apply/negP => ki.
have := enum_uniq 'I_d; rewrite -{1}(cat_take_drop k (enum 'I_d)) cat_uniq => /and3P[_ /hasPn/(_ i ik) /negP out _].
by apply: out; rewrite /= in_take ?mem_enum // index_enum_ord.
Qed.

(* The first k columns of Q as a frame. *)
Definition leading Q k (kd : (k <= d)%N) : 'M[R]_(d, k) := \matrix_(i, j) Q i (widen_ord kd j).

Lemma leading_frame Q k (kd : (k <= d)%N) : frame Q -> frame (leading Q kd).
Proof.
move=> QQ; apply/matrixP => i j; rewrite !mxE.
have := dot_col (widen_ord kd i) (widen_ord kd j) QQ; rewrite /dot.
under eq_bigr do rewrite !mxE; under [X in _ -> X = _]eq_bigr do rewrite !mxE.
by move=> ->; rewrite -val_eqE.
Qed.

Lemma leadingE Q k (kd : (k <= d)%N) : top_projector Q k = leading Q kd *m (leading Q kd)^T.
Proof.
rewrite /top_projector (big_ord_narrow kd); apply/matrixP => i j; rewrite summxE mxE; apply: eq_bigr => h _.
by rewrite outerE !mxE.
Qed.

Lemma top_commutes Q l A k : spectrum Q l A -> A *m top_projector Q k = top_projector Q k *m A.
Proof.
move=> S; have [QQ _ _] := S; apply: (same_on_basis QQ) => i.
rewrite -!mulmxA (eigenvector i S) top_projector_mul // -scalemxAr (eigenvector i S) -scalemxAr top_projector_mul //.
by rewrite !scalerA mulrC.
Qed.

(* An eigenvalue m of P - P' leaves a vector u of the range of P with P P' u = (1 - m^2) u. *)
Lemma principal_vector QA QC k m x (P := top_projector QA k) (P' := top_projector QC k) :
  (k <= d)%N -> frame QA -> frame QC -> x != 0 -> m != 0 -> (P - P') *m x = m *: x ->
  exists u, [/\ u != 0, P *m u = u & P *m (P' *m u) = (1 - m ^+ 2) *: u].
Proof.
move=> kd QQ QQC x0 m0 Dx; have [symP PP] := projector_top k QQ; have [symP' PP'] := projector_top k QQC.
pose p := P *m x; pose q := P' *m x.
have pq : p - q = m *: x by rewrite -Dx mulmxBl.
have Pq : P *m q = (1 - m) *: p.
  have : P *m (p - q) = m *: p by rewrite pq -scalemxAr.
  rewrite mulmxBr [P *m p]mulmxA PP -/p => /eqP; rewrite subr_eq => /eqP e.
  by rewrite scalerBl scale1r {1}e addrC addKr.
have Pp : P' *m p = (1 + m) *: q.
  have : P' *m (p - q) = m *: q by rewrite pq -scalemxAr.
  rewrite mulmxBr [P' *m q]mulmxA PP' -/q => /eqP; rewrite subr_eq => /eqP ->.
  by rewrite addrC scalerDl scale1r.
have [p0|p0] := eqVneq p 0; last first.
  exists p; split=> //; first by rewrite mulmxA PP.
  by rewrite Pp -scalemxAr Pq scalerA; congr (_ *: _); ring.
have q0 : q != 0.
  by apply: contraNneq x0 => q0; move/esym/eqP: pq; rewrite p0 q0 subrr scaler_eq0 (negPf m0).
have m1 : m = -1.
  move/esym/eqP: Pp; rewrite p0 mulmx0 scaler_eq0 (negPf q0) orbF addrC addr_eq0.
  by move/eqP.
pose V := leading QA kd; pose U := leading QC kd; pose K := U^T *m V.
have VV : frame V by apply: leading_frame.
have UU : frame U by apply: leading_frame.
have PE : P = V *m V^T by apply: leadingE.
have PE' : P' = U *m U^T by apply: leadingE.
have xq : x = q by apply: oppr_inj; rewrite -scaleN1r -m1 -pq p0 sub0r.
pose y := U^T *m x; have xU : x = U *m y by rewrite {1}xq /q PE' mulmxA.
have detK : \det K = 0.
  apply/eqP/det0P; exists y^T.
    rewrite -(inj_eq trmx_inj) trmxK trmx0; apply: contraNneq x0 => y0.
    by rewrite xU y0 mulmx0.
  apply: trmx_inj; rewrite trmx_mul trmxK trmx0 /K trmx_mul trmxK -mulmxA -xU.
  have : V^T *m p = 0 by rewrite p0 mulmx0.
  by rewrite /p PE !mulmxA VV mul1mx.
have : \det K^T == 0 by rewrite det_tr detK.
case/det0P => b b0 bK; exists (V *m b^T); split.
- by rewrite -norm2_eq0 norm2_frame // norm2_eq0 -(inj_eq trmx_inj) trmxK trmx0.
- by rewrite PE -mulmxA [V^T *m _]mulmxA VV mul1mx.
- have -> : P' *m (V *m b^T) = 0.
    have Kb : K *m b^T = 0 by apply: trmx_inj; rewrite trmx_mul trmxK trmx0.
    by rewrite PE' -mulmxA [U^T *m _]mulmxA -/K Kb mulmx0.
  by rewrite mulmx0 m1 sqrrN expr1n subrr scale0r.
Qed.

(* wishart.lemma-3: i and j stand for k and k + 1, and w for a bound of the spectral norm of A^ - A. *)
Theorem davis_kahan (i j : 'I_d) QA a A QC c A' w :
  spectrum QA a A -> spectrum QC c A' -> spectral_bound (A - A') w -> i.+1 = j -> c 0 j < a 0 i ->
  spectral_bound (top_projector QA j - top_projector QC j) (w / (a 0 i - c 0 j)).
Proof.
move=> SA SC Ww ij gap; have [QQ _ _] := SA; have [QQC _ _] := SC; have jd : (j <= d)%N by exact: ltnW.
have [w0 _] := Ww; have g0 : 0 < a 0 i - c 0 j by rewrite subr_gt0.
set P := top_projector QA j; set P' := top_projector QC j.
have [symP PP] := projector_top j QQ; have [symP' PP'] := projector_top j QQC.
have symD : symmetric (P - P') by rewrite /symmetric linearB /= symP symP'.
have [Q [l S]] := spectral_theorem symD; have [Q1 _ _] := S.
apply: (spectral_bound_eigenvalues S) => [|h]; first by rewrite divr_ge0 // ltW.
have [->|m0] := eqVneq (l 0 h) 0; first by rewrite normr0 divr_ge0 // ltW.
have x0 : col h Q != 0 by rewrite -norm2_eq0 norm2_col // oner_eq0.
have [u [u0 Pu PPu]] := principal_vector jd QQ QQC x0 m0 (eigenvector h S).
set m := l 0 h in m0 PPu *; pose z := u - P' *m u.
have uPu : dot u (P' *m u) = (1 - m ^+ 2) * norm2 u by rewrite -{1}Pu -symP -dot_mulr PPu dotZr.
have P'z : P' *m z = 0 by rewrite mulmxBr mulmxA PP' subrr.
have nz : norm2 z = m ^+ 2 * norm2 u.
  have -> : norm2 z = dot u z by rewrite /norm2 {1}/z dotBl -[X in dot (X *m u) z]symP' -dot_mulr P'z dot0r subr0.
  by rewrite dotBr uPu /norm2; ring.
have PAu : P *m (A *m u) = A *m u by rewrite mulmxA -(top_commutes j SA) -mulmxA Pu.
have zAu : dot z (A *m u) = m ^+ 2 * form A u.
  rewrite dotBl -/(form A u) -[X in _ - dot _ X]PAu [dot (P' *m u) _]dot_mulr symP PPu dotZl -/(form A u); ring.
have zA'u : dot z (A' *m u) = form A' z.
  have uz : u = z + P' *m u by rewrite subrK.
  rewrite {1}uz mulmxDr dotDr -/(form A' z) [A' *m (P' *m u)]mulmxA (top_commutes j SC) -mulmxA dot_mulr symP' P'z.
  by rewrite dotC dot0r addr0.
have low : a 0 i * norm2 u <= form A u.
  apply: (rayleigh_above SA) => v /restP [h' ih ->].
  rewrite -Pu dot_mulr symP top_projector_mul // ltnNge -ij ih scale0r dotC; exact: dot0r.
have high : form A' z <= c 0 j * norm2 z.
  apply: (rayleigh_below SC) => v /topP [h' ih ->].
  have -> : col h' QC = P' *m col h' QC by rewrite top_projector_mul // ih scale1r.
  by rewrite dotC dot_mulr symP' P'z dotC dot0r.
have nu : 0 < norm2 u by rewrite norm2_gt0.
have cs : `|dot z ((A - A') *m u)| ^+ 2 <= norm2 z * (w ^+ 2 * norm2 u).
  rewrite real_normK ?num_real //; apply: le_trans (cauchy_schwarz _ _) _.
  by rewrite ler_wpmul2l ?norm2_ge0 //; case: Ww => _; apply.
have main : m ^+ 2 * (a 0 i - c 0 j) * norm2 u <= dot z ((A - A') *m u).
  rewrite mulmxBl dotBr zAu zA'u mulrBr mulrBl ler_sub //.
    by rewrite -mulrA ler_wpmul2l ?sqr_ge0.
  by apply: le_trans high _; rewrite nz mulrA [c 0 j * _]mulrC.
have m2 : 0 < m ^+ 2 by rewrite lt_def sqrf_eq0 m0 sqr_ge0.
rewrite ler_pdivl_mulr // -(@ler_pexpn2r _ 2) ?nnegrE ?mulr_ge0 ?normr_ge0 ?(ltW g0) // exprMn real_normK ?num_real //.
have K0 : 0 < m ^+ 2 * norm2 u ^+ 2 by rewrite mulr_gt0 // exprn_gt0.
rewrite -(ler_pmul2l K0).
have -> : m ^+ 2 * norm2 u ^+ 2 * w ^+ 2 = norm2 z * (w ^+ 2 * norm2 u) by rewrite nz; ring.
apply: le_trans cs.
have -> : m ^+ 2 * norm2 u ^+ 2 * (m ^+ 2 * (a 0 i - c 0 j) ^+ 2) = (m ^+ 2 * (a 0 i - c 0 j) * norm2 u) ^+ 2 by ring.
rewrite ler_pexpn2r ?nnegrE ?normr_ge0 //; first by apply: le_trans main _; exact: ler_norm.
by apply: mulr_ge0; [apply: mulr_ge0; [exact: sqr_ge0|exact: ltW]|exact: norm2_ge0].
Qed.

(* wishart.theorem-6, step davis-kahan. *)
Corollary davis_kahan_for_added_noise (i j : 'I_d) QA a A QC c W w :
  spectrum QA a A -> spectrum QC c (A + W) -> spectral_bound W w -> i.+1 = j -> c 0 j < a 0 i ->
  spectral_bound (top_projector QA j - top_projector QC j) (w / (a 0 i - c 0 j)).
Proof.
move=> SA SC Ww ij gap; have back : spectral_bound (A - (A + W)) w.
  by rewrite opprD addrA subrr sub0r; exact: spectral_boundN.
exact: davis_kahan SA SC back ij gap.
Qed.

(* wishart.theorem-6, steps weyl-in-denominator and gap-halves. *)
Corollary spectral_distance_of_subspaces (i j : 'I_d) QA a A QC c W w :
  spectrum QA a A -> spectrum QC c (A + W) -> spectral_bound W w -> i.+1 = j -> w *+ 2 <= a 0 i - a 0 j ->
  a 0 j < a 0 i ->
  w / (a 0 i - c 0 j) <= w / (a 0 i - a 0 j - w)
  /\ spectral_bound (top_projector QA j - top_projector QC j) (2%:R * w / (a 0 i - a 0 j)).
Proof.
move=> SA SC Ww ij half gap; have [w0 _] := Ww.
have := eigenvalue_shift j SA SC Ww; rewrite ler_norml => /andP[_ up].
have g : 0 < a 0 i - a 0 j by rewrite subr_gt0.
have rw : (a 0 i - a 0 j) / 2%:R <= a 0 i - a 0 j - w.
  by rewrite ler_pdivr_mulr ?ltr0n // mulr_natr mulrnBl mulr2n -addrA ler_addl subr_ge0.
have g2 : 0 < a 0 i - a 0 j - w by apply: lt_le_trans rw; rewrite divr_gt0 ?ltr0n.
have le : a 0 i - a 0 j - w <= a 0 i - c 0 j by rewrite -addrA ler_add2l -opprD ler_opp2 addrC -ler_subl_addr.
have g3 : 0 < a 0 i - c 0 j by apply: lt_le_trans le.
have first : w / (a 0 i - c 0 j) <= w / (a 0 i - a 0 j - w) by rewrite ler_wpmul2l // lef_pinv ?posrE.
split=> //; apply: (@spectral_boundW _ _ _ _ (w / (a 0 i - c 0 j))).
  apply: le_trans first _; rewrite [2%:R * w]mulrC -mulrA ler_wpmul2l // -[2%:R / _]invrK invfM invrK mulrC.
  by rewrite lef_pinv ?posrE ?divr_gt0 ?ltr0n.
by apply: davis_kahan_for_added_noise SA SC Ww ij _; rewrite -subr_gt0.
Qed.

End sine_theorem.
